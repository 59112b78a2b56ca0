import type { Introduced } from "./connection-state.ts";
import type { PreparedMessage } from "./down-frame.ts";

/** Who a client turned out to be. */
type Identity = Required<Omit<Introduced, "send" | "within">>;

/** A client whose hello was accepted. Not a literal with a closure for `send`, which would take as much memory as all the rest. */
export class IntroducedClient implements Introduced {
  readonly clientId: Identity["clientId"];
  readonly actor: Identity["actor"];
  readonly replica: Identity["replica"];
  readonly grant: Identity["grant"];
  readonly member: Identity["member"];
  readonly reach: Identity["reach"];
  readonly #connection: Pick<Introduced, "send">;

  constructor(connection: Pick<Introduced, "send">, who: Identity) {
    this.clientId = who.clientId;
    this.actor = who.actor;
    this.replica = who.replica;
    this.grant = who.grant;
    this.member = who.member;
    this.reach = who.reach;
    this.#connection = connection;
  }

  send(message: PreparedMessage): void {
    this.#connection.send(message);
  }
}
