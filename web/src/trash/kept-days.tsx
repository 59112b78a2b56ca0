import { useEffect, useState } from "react";
import { useApp } from "../ui/app-context.ts";

const choices = [1, 7, 30, 90, 365];

/** The choice of how long the trash keeps what is deleted. */
export function KeptDays({ onChanged }: { readonly onChanged: () => void }) {
  const { client, tell, announce } = useApp();
  const [days, setDays] = useState<number | null | undefined>(undefined);
  useEffect(() => {
    let isCurrent = true;
    void client.call("trash.settings", {}).then((answer) => {
      if (isCurrent && answer.ok) setDays(answer.value.keptDays);
    });
    return () => {
      isCurrent = false;
    };
  }, [client]);
  if (days === undefined) return null;
  const choose = async (chosen: number | null): Promise<void> => {
    const set = await client.call("trash.set-settings", { keptDays: chosen });
    if (!set.ok) return tell(set.error);
    setDays(chosen);
    announce(`The trash keeps what is deleted ${daysWords(chosen)}.`);
    onChanged();
  };
  const offered = days === null || choices.includes(days) ? choices : [...choices, days].toSorted((a, b) => a - b);
  return (
    <label className="quiet kept-days">
      Keep what is deleted
      <select
        value={days ?? "always"}
        title="A shorter time applies to what is deleted from now on; what is here already is kept longer, never shorter."
        onChange={({ target: { value } }) => void choose(value === "always" ? null : Number(value))}
      >
        {offered.map((each) => (
          <option key={each} value={each}>
            {daysWords(each)}
          </option>
        ))}
        <option value="always">until it is deleted for good</option>
      </select>
    </label>
  );
}

function daysWords(days: number | null): string {
  if (days === null) return "until it is deleted for good";
  return days === 1 ? "for a day" : `for ${days} days`;
}
