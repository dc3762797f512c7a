const TEXTS = {
  overdue: 'The copy {barcode} is late. Please bring it back.',
  pickup: 'The copy {barcode} is ready behind the counter.',
  welcome: 'Your card {cardNumber} is ready.',
};

export type NoticeName = keyof typeof TEXTS;

/** Fills the placeholders of a notice; an unknown one stays as it is. */
export function renderNotice(name: NoticeName, values: Record<string, string>): string {
  return TEXTS[name].replace(/\{(\w+)\}/g, (placeholder, key: string) => values[key] ?? placeholder);
}
