/**
 * The rows of a table that belong to one row before it, to be named by AS. OFFSET 0 keeps the planner from scanning the whole table
 * for them where it expects far more rows than there are: in the walk of a tree, and in a database that nobody has analyzed yet.
 */
export function each(table: string, condition: string): string {
  return `LATERAL (SELECT * FROM ${table} WHERE ${condition} OFFSET 0)`;
}
