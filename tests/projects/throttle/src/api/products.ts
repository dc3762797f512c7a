import { query } from "../db/query";

export async function listProducts() {
  return query("select id, title from products order by title");
}
