/** Names the group of a conversation in a list by time, as of `now`. Days are those of this browser's clock. */
export function dateGroup(at: number, now: number): string {
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  if (at >= midnight) return "Today";
  if (at >= daysBefore(midnight, 1)) return "Yesterday";
  if (at >= daysBefore(midnight, 7)) return "Last 7 days";
  if (at >= daysBefore(midnight, 30)) return "Last 30 days";
  const date = new Date(at);
  const isThisYear = date.getFullYear() === new Date(now).getFullYear();
  return date.toLocaleDateString(undefined, { month: "long", ...(isThisYear ? {} : { year: "numeric" }) });
}

/** Days with a change of the clock have 23 or 25 hours. */
function daysBefore(midnight: number, days: number): number {
  const date = new Date(midnight);
  return date.setDate(date.getDate() - days);
}
