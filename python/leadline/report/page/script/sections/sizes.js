// Messages by size, in classes of powers of two.

import { count, size } from "../format.js";
import { sizesOf } from "../size_classes.js";

export const drawing = {
  remark: (report) =>
    `${count(report.totals.messages)} messages, ${size(report.totals.message_bytes)} in all, in classes of powers of two. Collectives send no messages.`,
  render: (report) => sizesOf(report.size_histogram, report.sizes, "messages"),
};
