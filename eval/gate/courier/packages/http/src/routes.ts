export type RouteHandler = (params: Record<string, string>) => unknown;

/** Matches paths such as `/topics/:name` to handlers. */
export class RouteTable {
  private readonly routes: Array<{ parts: string[]; handler: RouteHandler }> = [];

  add(pattern: string, handler: RouteHandler): void {
    this.routes.push({ parts: pattern.split('/').filter(Boolean), handler });
  }

  match(path: string): { handler: RouteHandler; params: Record<string, string> } | undefined {
    const given = path.split('/').filter(Boolean);
    for (const { parts, handler } of this.routes) {
      if (parts.length !== given.length) continue;
      const params: Record<string, string> = {};
      const fits = parts.every((part, i) => {
        if (!part.startsWith(':')) return part === given[i];
        params[part.slice(1)] = given[i] ?? '';
        return true;
      });
      if (fits) return { handler, params };
    }
    return undefined;
  }
}
