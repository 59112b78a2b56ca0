import { Client, type ClientConfig } from "pg";
import { StoreOpenError } from "../shared/store-error.ts";

const session = "SELECT pg_backend_pid() AS pid";

/**
 * Refuses an address behind which a pooler changes sessions between transactions: locks and settings of a session would be
 * somebody else's. One connection rests while another holds a transaction; a pooler lends the resting one's session.
 */
export async function refusePooled(config: ClientConfig): Promise<void> {
  const [one, other] = [new Client(config), new Client(config)];
  for (const client of [one, other]) client.on("error", () => {});
  const pidOf = async (client: Client): Promise<number | undefined> =>
    (await client.query<{ readonly pid: number }>(session)).rows[0]?.pid;
  try {
    await one.connect();
    await other.connect();
    const own = await pidOf(one);
    await other.query("BEGIN");
    const lent = await pidOf(other);
    const then = await pidOf(one);
    await other.query("ROLLBACK");
    if (own === then && own !== lent) return;
  } finally {
    await Promise.allSettled([one.end(), other.end()]);
  }
  const message =
    "The address leads to a pooler that changes sessions between transactions. Heddle needs PostgreSQL itself, or a pooler in session mode.";
  throw new StoreOpenError("STORE_FAILED", message);
}
