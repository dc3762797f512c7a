export function logRequest(write: (line: string) => void = console.log) {
  return (method: string, url: string) => write(`${method} ${url}`);
}
