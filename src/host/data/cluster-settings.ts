import * as v from "valibot";
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

export const clusterSchemas = {
  nodeAddress: v.exactOptional(nodeAddress),
  sharedData: v.exactOptional(folder),
  nodeTtlMs: v.exactOptional(ttlMs, ttlMsDefault),
};

/** Returns how this process shares its database; refused where something that all nodes need is missing, or belongs to one machine. */
export function clusterOf(given: {
  readonly nodeAddress?: { readonly host: string; readonly port: number } | undefined;
  readonly sharedData?: string | undefined;
  readonly nodeTtlMs: number;
  readonly store?: string | undefined;
  readonly workspace?: string | undefined;
}): Result<{ readonly cluster?: ClusterSettings }, Refusal> {
  const { nodeAddress: at, sharedData, nodeTtlMs, store, workspace } = given;
  const refused = (message: string): Result<never, Refusal> => err(refusal("INVALID_PARAMS", {}, message));
  if (at === undefined) {
    return sharedData === undefined
      ? ok({})
      : refused("--shared-data is the folder that several nodes use. Add --node-address, or leave --shared-data out.");
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
  return ok({ cluster: { ...at, sharedData, ttlMs: nodeTtlMs } });
}
