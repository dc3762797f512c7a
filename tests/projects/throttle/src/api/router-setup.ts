import { createMiddleware } from "../middleware";
import { listOrders } from "./orders";
import { listProducts } from "./products";

/** Registers the API endpoints and runs the middleware, throttle included, before each of them. */
export function setUpRouter(router: { use(layer: unknown): void; get(path: string, handler: unknown): void }) {
  for (const layer of createMiddleware()) router.use(layer);
  router.get("/api/orders", listOrders);
  router.get("/api/products", listProducts);
}
