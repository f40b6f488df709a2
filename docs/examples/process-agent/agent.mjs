// An agent that refunds what was charged twice. It speaks JSON lines: one object a line, on stdin and stdout.
import { createInterface } from "node:readline";

class ToolError extends Error {} // a tool said no, and why

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();

function say(line) {
  process.stdout.write(JSON.stringify(line) + "\n");
}

async function hear() {
  const { value, done } = await lines.next();
  if (done) process.exit(); // nobody is there any more
  const heard = JSON.parse(value);
  if (heard.type === "runner_error") throw new Error(`I said something wrong: ${heard.message}`);
  return heard;
}

async function call(toolName, message, input) {
  say({ type: "tool_call", toolName, input, metadata: { message } });
  const answer = await hear();
  if ("error" in answer) throw new ToolError(answer.error);
  return answer.result;
}

async function refund(orderId, why) {
  const done = await call("orders.refund", why, { order_id: orderId });
  return `Refunded ${done.order_id}: ${done.amount} ${done.currency}.`;
}

async function work(context) {
  let look = "I look for the charge that was made twice.";
  if ("order_id" in context) {
    try {
      return await refund(context.order_id, "The customer names the order.");
    } catch (error) {
      if (!(error instanceof ToolError)) throw error;
      look = `${error.message}, so I look for it.`;
    }
  }
  const customer = await call("crm.search_customer", look, { email: context.customer_email });
  const seen = new Set();
  for (const order of await call("orders.list", `${customer.id} it is.`, { customer_id: customer.id })) {
    if (seen.has(order.duplicate_group)) return refund(order.id, "The second one of two that are the same.");
    if (order.duplicate_group) seen.add(order.duplicate_group);
  }
  return "I refunded nothing: there is no charge that was made twice.";
}

const run = await hear();
let output;
try {
  output = await work(run.input.context);
} catch (error) {
  if (!(error instanceof ToolError)) throw error;
  output = `I could not do it: ${error.message}.`;
}
// A model's figures would stand here. This agent has none, so what it used is known to be nothing.
say({ type: "final", output, usage: { input_tokens: 0, output_tokens: 0, cost_usd: 0 } });
