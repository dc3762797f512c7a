import { compress } from "./compress";
import { logRequest } from "./log-request";
import { throttle } from "./throttle";

/** Middleware in the order in which it runs for every API call. */
export function createMiddleware() {
  return [logRequest(), compress(), throttle({ windowMs: 60_000, max: 600 })];
}
