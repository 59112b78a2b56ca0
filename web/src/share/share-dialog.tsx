import { Dialog } from "../ui/dialog.tsx";
import { SharePanel, type SharedThing } from "./share-panel.tsx";

/** Who can see a document or a folder, and giving them roles. */
export function ShareDialog(props: {
  readonly thing: SharedThing;
  readonly title: string;
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={`Share ${props.title}`} className="settings" onClose={props.onClose}>
      <SharePanel thing={props.thing} />
    </Dialog>
  );
}
