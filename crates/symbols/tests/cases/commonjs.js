"use strict";
function Route(path) {
  this.path = path;
}
Route.prototype.match = function (url) {
  return url === this.path;
};
exports.createRoute = (path) => new Route(path);
module.exports.isRoute = function isRoute(x) {
  return x instanceof Route;
};
module.exports = {
  parseQuery(q) {
    return q.split("&");
  },
  joinPath: (a, b) => a + "/" + b,
  Route,
};
