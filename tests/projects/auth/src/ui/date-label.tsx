/** A date as people write it. */
export function DateLabel({ date }: { date: Date }) {
  return <time dateTime={date.toISOString()}>{date.toLocaleDateString()}</time>;
}
