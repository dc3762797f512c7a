import { pool } from "./pool";

export async function query(sql: string, values: unknown[] = []) {
  const connection = await pool.acquire();
  try {
    return await connection.run(sql, values);
  } finally {
    pool.release(connection);
  }
}
