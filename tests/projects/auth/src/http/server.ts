import { createServer } from "node:http";
import { routes } from "./routes";

export function start(port: number) {
  return createServer((request, response) => {
    const route = routes.find((route) => route.path === request.url);
    response.statusCode = route ? 200 : 404;
    response.end(route ? route.handle() : "not found");
  }).listen(port);
}
