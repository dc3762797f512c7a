import { memo, forwardRef } from "react";
import styled from "styled-components";
const Panel = styled.div<{ wide?: boolean }>`
  width: ${(p) => (p.wide ? "100%" : "50%")};
`;
export const UserCard = memo(function UserCard({ name }: { name: string }) {
  return <Panel wide>{name}</Panel>;
});
export const TextField = forwardRef<HTMLInputElement, { label: string }>(
  ({ label }, ref) => <input aria-label={label} ref={ref} />,
);
export const useDebounced = <T,>(value: T) => value;
