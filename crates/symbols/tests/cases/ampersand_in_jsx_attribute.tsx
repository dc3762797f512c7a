export function FontLink() {
  return (
    <link
      rel="stylesheet"
      href="https://cdn.example.test/css?family=Inter&family=Mono&display=swap"
    />
  );
}
export function FontFallback() {
  return <style>{"body{font-family:sans-serif}"}</style>;
}
