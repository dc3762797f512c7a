export function ProductCard({ title, price }: { title: string; price: string }) {
  return (
    <article>
      <h2>{title}</h2>
      <p>{price}</p>
    </article>
  );
}
