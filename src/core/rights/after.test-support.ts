import { changeRights, type RightsChange } from "./change-rights.ts";
import { withRows, type Rights } from "./rights.ts";

/** Rights after changes, each of which must be possible. */
export function after(rights: Rights, changes: readonly RightsChange[]): Rights {
  return changes.reduce((now, change) => {
    const rows = changeRights(now, change);
    if (!rows.ok) throw new Error(rows.error.message);
    return withRows(now, rows.value);
  }, rights);
}
