import { sql } from "./db";
export async function loadPlan(id: string) {
  const rows = await sql<{ seats: number }[]>`select seats from plan where id = ${id}`;
  if (!rows.length) throw new Error(`plan ${id} is missing`);
  return rows[0];
}
export const planCacheKey = (id: string) => `plan:${id}`;
