// Everything begins here.

async function start() {
  startTables();
  startCopying();
  startCharts();
  const packed = document.getElementById("data").textContent;
  if (!packed) return;
  if (typeof DecompressionStream === "undefined") {
    document.getElementById("found").textContent = "This browser is too old to unpack the instances.";
    return;
  }
  document.getElementById("found").textContent = "The branches and instances are being unpacked.";
  const frame = element("iframe", { hidden: "" });
  document.body.append(frame);
  frame.contentDocument?.open(); // the page counts as loading as long as this document is open, and is not printed yet
  const data = await unpacked(packed).finally(() => frame.remove());
  startTree(data);
  startInstances(data);
}

start();
