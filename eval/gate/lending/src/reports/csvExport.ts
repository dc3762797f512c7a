/** Rows as comma-separated text; cells with commas or quotes are quoted. */
export function toCsv(rows: string[][]): string {
  return rows.map((row) => row.map(quote).join(',')).join('\n');
}

function quote(cell: string): string {
  return /[",\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
