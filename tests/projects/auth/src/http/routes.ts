export interface Route {
  path: string;
  handle(): string;
}

export const routes: Route[] = [
  { path: "/health", handle: () => "ok" },
  { path: "/version", handle: () => "1.0.0" },
];
