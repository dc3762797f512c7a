export default abstract class Repository<T> {
  abstract find(id: string): Promise<T | undefined>;
  protected abstract readonly table: string;
  async mustFind(id: string): Promise<T> {
    const row = await this.find(id);
    if (!row) throw new Error(this.table);
    return row;
  }
}
