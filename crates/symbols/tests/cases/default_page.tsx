import { formatCents } from "./money";
export default function CheckoutPage() {
  return <p>{formatCents(1200)}</p>;
}
export async function generateMetadata() {
  return { title: "Checkout" };
}
