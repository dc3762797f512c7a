export function OrderList({ orders }: { orders: { id: string }[] }) {
  return (
    <ul>
      {orders.map((order) => (
        <li key={order.id}>{order.id}</li>
      ))}
    </ul>
  );
}
