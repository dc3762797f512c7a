/** Strips hyphens and blanks, so that two spellings of one number are equal. */
export function normalizeIsbn(isbn: string): string {
  return isbn.replace(/[\s-]/g, '').toUpperCase();
}

/** Whether the check digit of a thirteen-digit number is right. */
export function hasValidCheckDigit(isbn: string): boolean {
  const digits = normalizeIsbn(isbn);
  if (!/^\d{13}$/.test(digits)) return false;
  const sum = [...digits].reduce((total, digit, i) => total + Number(digit) * (i % 2 === 0 ? 1 : 3), 0);
  return sum % 10 === 0;
}
