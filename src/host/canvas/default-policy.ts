import * as v from "valibot";
import type { Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { editPolicies, type EditPolicy } from "../../core/block/types.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { notRemembered, type Remember } from "../base/once.ts";
import { notStored } from "../base/store-refusal.ts";

const shape = v.object({ policy: v.picklist(editPolicies) });

/** Returns the policy of new canvases of the workspace: Live until a person changes it. */
export async function defaultPolicy(store: Pick<Store, "meta">): Promise<EditPolicy> {
  const read = v.safeParse(shape, await store.meta(metaKeys.canvasPolicy));
  return read.success ? read.output.policy : "live";
}

/** Sets the policy of canvases created from now on; existing canvases keep theirs. */
export async function setDefaultPolicy(
  store: Pick<Store, "commit">,
  policy: EditPolicy,
  remember: Remember<{ readonly policy: EditPolicy }> = notRemembered,
): Promise<Result<{ readonly policy: EditPolicy }, Refusal>> {
  const stored = await store.commit([
    { type: "put-meta", key: metaKeys.canvasPolicy, value: { policy } },
    ...remember({ policy }, null),
  ]);
  return stored.ok ? ok({ policy }) : err(notStored(stored.error));
}
