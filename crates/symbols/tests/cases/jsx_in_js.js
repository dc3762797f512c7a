export const keyed = (value) => <pre>{String(value)}</pre>;
export function List({ items }) {
  return <ul>{items.map((i) => <li key={String(i)} />)}</ul>;
}
