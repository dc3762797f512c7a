interface Connection {
  run(sql: string, values: unknown[]): Promise<unknown[]>;
}

const idle: Connection[] = [];

export const pool = {
  async acquire(): Promise<Connection> {
    const connection = idle.pop();
    if (!connection) throw new Error("no connection left");
    return connection;
  },
  release(connection: Connection) {
    idle.push(connection);
  },
};
