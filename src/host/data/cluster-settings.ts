import * as v from "valibot";
import { isLoopback, readNatsAddress, type NatsAddress, type NatsPlace } from "../../adapters/hints/nats-address.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";

/** How a process shares its database with others. */
export interface ClusterSettings {
  /** Where the other nodes reach this one. */
  readonly host: string;
  readonly port: number;
  /** The folder that all nodes see: images and files, keys and secrets. */
  readonly sharedData: string;
  /** How long a node may be silent before another takes over. */
  readonly ttlMs: number;
  /** Where nodes send each other hints; absent: by the database. */
  readonly nats?: NatsPlace;
}

const ttlMsMin = 1_500;
const ttlMsMax = 30_000;
const ttlMsDefault = 5_000;

/** The settings of a node, and where each comes from. */
export const clusterSettings = {
  nodeAddress: {
    form: "a host and a port at which the other nodes reach this one, such as 10.0.0.5:7421",
    flag: "node-address",
    env: "HEDDLE_NODE_ADDRESS",
    inFile: true,
  },
  sharedData: { form: "a folder", flag: "shared-data", env: "HEDDLE_SHARED_DATA", inFile: true },
  nodeTtlMs: {
    form: `a whole number of milliseconds from ${ttlMsMin} to ${ttlMsMax}`,
    flag: "node-ttl-ms",
    env: "HEDDLE_NODE_TTL_MS",
    inFile: true,
  },
  nats: {
    form: "an address of a NATS server, such as tls://user:password@nats.example.lan:4222",
    flag: "nats",
    env: "HEDDLE_NATS_URL",
    inFile: true,
  },
  natsCredentials: {
    form: "a file of NATS credentials (.creds)",
    flag: "nats-credentials",
    env: "HEDDLE_NATS_CREDENTIALS",
    inFile: true,
  },
} as const;

/** `host:port`; a host of IPv6 is in brackets. */
const nodeAddress = v.pipe(
  v.string(),
  v.check((value) => /^(?:\[[0-9a-f:.]+\]|[^\s:/@?#[\]]+):\d{1,5}$/iu.test(value) && URL.canParse(`http://${value}`)),
  v.transform((value) => ({ host: value.slice(0, value.lastIndexOf(":")), port: Number(value.split(":").at(-1)) })),
);

const ttlMs = v.pipe(
  v.union([v.number(), v.pipe(v.string(), v.regex(/^[0-9]{1,6}$/), v.transform(Number))]),
  v.integer(),
  v.minValue(ttlMsMin),
  v.maxValue(ttlMsMax),
);

const folder = v.pipe(v.string(), v.minLength(1));

const natsAddress = v.pipe(
  v.string(),
  v.transform(readNatsAddress),
  v.guard((address): address is NatsAddress => address !== null),
);

export const clusterSchemas = {
  nodeAddress: v.exactOptional(nodeAddress),
  sharedData: v.exactOptional(folder),
  nodeTtlMs: v.exactOptional(ttlMs, ttlMsDefault),
  nats: v.exactOptional(natsAddress),
  natsCredentials: v.exactOptional(v.pipe(v.string(), v.minLength(1))),
};

/** Returns how this process shares its database; refused where something that all nodes need is missing, or belongs to one machine. */
export function clusterOf(given: {
  readonly nodeAddress?: { readonly host: string; readonly port: number } | undefined;
  readonly sharedData?: string | undefined;
  readonly nodeTtlMs: number;
  readonly nats?: NatsAddress | undefined;
  readonly natsCredentials?: string | undefined;
  readonly store?: string | undefined;
  readonly workspace?: string | undefined;
}): Result<{ readonly cluster?: ClusterSettings }, Refusal> {
  const { nodeAddress: at, sharedData, nodeTtlMs, store, workspace } = given;
  if (at === undefined) {
    if (sharedData !== undefined) {
      return refused(
        "--shared-data is the folder that several nodes use. Add --node-address, or leave --shared-data out.",
      );
    }
    if (given.nats === undefined && given.natsCredentials === undefined) return ok({});
    return refused("--nats is for hints between several nodes. Add --node-address, or leave --nats out.");
  }
  if (store === undefined)
    return refused("Several nodes share one PostgreSQL. Name it: HEDDLE_DATABASE_URL or --store.");
  if (sharedData === undefined) {
    return refused(
      "Several nodes keep images, files, keys and secrets in one folder that all of them see. Name it with --shared-data.",
    );
  }
  if (workspace !== undefined) {
    return refused(
      "--workspace is a folder of one machine, and another node may take over. Leave --workspace or --node-address out.",
    );
  }
  const nats = natsOf(given.nats, given.natsCredentials);
  return nats.ok ? ok({ cluster: { ...at, sharedData, ttlMs: nodeTtlMs, ...nats.value } }) : nats;
}

/** Whoever is in Heddle's account can wake every node, so that nobody else may be. */
function natsOf(
  address: NatsAddress | undefined,
  file: string | undefined,
): Result<{ readonly nats?: NatsPlace }, Refusal> {
  if (address === undefined) {
    return file === undefined ? ok({}) : refused("--nats-credentials needs the address of the server: add --nats.");
  }
  if (!address.isTls && !isLoopback(address)) {
    return refused(
      "NATS on another machine is reached over TLS, which keeps the credentials secret: use tls:// in --nats.",
    );
  }
  if (address.credentials !== null && file !== undefined) {
    return refused(
      "NATS has one account for Heddle: give its credentials in --nats or in --nats-credentials, not in both.",
    );
  }
  const credentials = file === undefined ? address.credentials : ({ type: "file", path: file } as const);
  if (credentials === null) {
    return refused(
      "NATS needs an account for Heddle alone: write tls://user:password@host in HEDDLE_NATS_URL, or give a file with --nats-credentials.",
    );
  }
  return ok({ nats: { ...address, credentials } });
}

function refused(message: string): Result<never, Refusal> {
  return err(refusal("INVALID_PARAMS", {}, message));
}
