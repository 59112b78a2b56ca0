/** All engines behind one interface, so that all do the same work. */

import type { BenchContext } from "../harness/bench.ts";
import { diamondTypesEngine, type DiamondTypes } from "./text-diamond-types.ts";
import { heddleEngine } from "./text-heddle.ts";
import { jsonJoyEngine, type JsonJoy } from "./text-json-joy.ts";
import type { Engine } from "./text-replica.ts";
import { loroEngine, type Loro } from "./text-loro.ts";
import { yjsEngine, type Yjs } from "./text-yjs.ts";

export interface Engines {
  readonly heddle: Engine;
  readonly peers: readonly Engine[];
}

export async function loadEngines({ peer }: BenchContext): Promise<Engines> {
  const peers = [
    yjsEngine(await peer<Yjs>("yjs")),
    jsonJoyEngine({
      ...(await peer<Pick<JsonJoy, "Model">>("json-joy/lib/json-crdt/index.js")),
      ...(await peer<Pick<JsonJoy, "Patch">>("json-joy/lib/json-crdt-patch/index.js")),
    }),
    diamondTypesEngine(await peer<DiamondTypes>("diamond-types-node")),
    loroEngine(await peer<Loro>("loro-crdt")),
  ];
  return { heddle: heddleEngine, peers };
}
