export interface ButtonProps {
  label: string;
  disabled?: boolean;
  onPress(): void;
}

export function Button({ label, disabled, onPress }: ButtonProps) {
  return (
    <button type="button" disabled={disabled} onClick={onPress}>
      {label}
    </button>
  );
}
