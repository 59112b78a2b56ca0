import { Client, type ClientConfig } from "pg";

/** Opens a separate connection for long work, whose statements have no time limit. */
export async function withConnection<Value>(
  config: ClientConfig,
  work: (client: Client) => Promise<Value>,
): Promise<Value> {
  const client = new Client({ ...config, options: `${config.options ?? ""} -c statement_timeout=0`.trim() });
  // The statement under way reports what happens to the connection.
  client.on("error", () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
