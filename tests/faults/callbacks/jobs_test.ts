import { family } from "./jobs_rows.ts";
import { testFamily } from "./table.ts";

testFamily(family);
