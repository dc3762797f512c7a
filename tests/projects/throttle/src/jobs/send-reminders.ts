import { query } from "../db/query";

/** Writes to everybody whose basket is a day old. */
export async function sendReminders(send: (email: string) => Promise<void>) {
  const rows = (await query("select email from baskets where age > 1")) as { email: string }[];
  for (const row of rows) await send(row.email);
}
