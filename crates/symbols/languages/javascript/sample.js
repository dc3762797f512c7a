#!/usr/bin/env node
"use strict";

const http = require("node:http");
const { readFile, stat: fileStat } = require("node:fs/promises");
const pick = require("./pick").pickFirst;

// Ports below this one need special rights.
const LOWEST_PORT = 1024;

var shared = {},
  started;

/**
 * A tiny server.
 * @param {object} options
 */
function Server(options) {
  this.routes = [];
  this.stop = function () {
    started = false;
  };
  Object.assign(this, options);
}

/** Adds a route. */
Server.prototype.on = function (path, handler) {
  this.routes.push({ path, handler });
  return this;
};

Server.prototype.match = (path) => pick(shared[path]);

Server.create = function create(options) {
  return new Server(options);
};

class Session {
  #secret = Math.random();
  name;
  touch = () => {
    this.last = Date.now();
  };

  static get
  current() {
    return Session.instance;
  }

  constructor(name) {
    this.name = name;
  }

  async *events() {
    yield* [];
  }

  "log out"() {}
}

const middleware = {
  log(request) {
    return request.url;
  },
  limit: (count) => (request) => request.size < count,
  nested: {
    deep: function () {
      return /a+b/.test("aab");
    },
  },
};

function* ids() {
  let next = 0;
  while (true) yield next++;
}

const wait = async (ms) => {
  const done = (resolve) => setTimeout(resolve, ms);
  await new Promise(done);
};

const Cookie = class Biscuit {
  bake() {}
};

register("job", {
  run() {
    return wait(10);
  },
});

exports.version = "1.0.0";
exports.listen = async (port = LOWEST_PORT) => {
  const { options } = await import("./options.js");
  const page = await readFile(options.page);
  return http.createServer((request, response) => response.end(page)).listen(port);
};
module.exports.Session = Session;
module.exports = {
  Server,
  close(server) {
    server.stop();
  },
  size: (path) => fileStat(path),
  table: middleware,
};
