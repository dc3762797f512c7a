export class Registry {
  static map = new Map<string, number>();
  static
  // fill the defaults
  {
    Registry.map.set("a", 1);
  }
  lookup(name: string) {
    return Registry.map.get(name);
  }
}
