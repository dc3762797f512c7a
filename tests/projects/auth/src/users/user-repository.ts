import type { User } from "./user";

export class UserRepository {
  private readonly rows = new Map<string, User>();

  async find(id: string): Promise<User | undefined> {
    return this.rows.get(id);
  }

  async save(user: User): Promise<void> {
    this.rows.set(user.id, user);
  }
}
