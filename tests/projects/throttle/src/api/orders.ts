import { query } from "../db/query";

export async function listOrders() {
  return query("select id, placed_at from orders order by placed_at desc");
}
