import { Dialog } from "../ui/dialog.tsx";
import { commandIds, isMac, keyTable, shownKeys } from "../browser/keys.ts";

const groups = ["Everywhere", "Conversation", "Branches", "Canvas", "Review"] as const;

/** Every key, from the one table. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }) {
  const mac = isMac();
  return (
    <Dialog title="Keyboard" className="help" onClose={onClose}>
      <div className="help-groups">
        {groups.map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {commandIds
                .map((id) => keyTable[id])
                .filter((row) => row.group === group && row.keys !== null)
                .map((row) => (
                  <div key={row.label}>
                    <dt>{row.label}</dt>
                    <dd>
                      <kbd>{shownKeys(row.keys ?? "", mac)}</kbd>
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <p className="quiet">
        In the canvas, Tab moves on to the next control. Single letters work while the messages or the suggestions have
        the focus; they can be switched off in the settings.
      </p>
    </Dialog>
  );
}
