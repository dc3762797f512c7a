export const routes = {
  home: "/",
  user: (id: string) => `/u/${id}`,
} as const satisfies Record<string, unknown>;
export const theme = { dark: true } satisfies { dark: boolean };
using conn = openConn();
function openConn(): Disposable {
  return { [Symbol.dispose]() {} };
}
