export const identity = <T,>(value: T): T => value;
export const keyed = <T extends object>(value: T) => <pre>{String(value)}</pre>;
export function List<T>({ items }: { items: T[] }) {
  return <ul>{items.map((i) => <li key={String(i)} />)}</ul>;
}
