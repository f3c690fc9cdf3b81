#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Open the pages that test_training_page left in a headless browser, on a
# phone's width: the curves, and the steps of a transformer in boxes by layer.
#   check_pages.sh BROWSER FOLDER
set -u
browser=$1 dir=$2
if [ ! -s "$dir/pages/step.html" ]; then
  echo "no pages: skipped"
  exit 77
fi
bad=0
# dump PAGE FILE: the page as the browser has it, its scripts done.
dump() {
  timeout 100 "$browser" --headless --no-sandbox --disable-gpu \
    --user-data-dir="$dir/browser" --window-size=390,800 --dump-dom \
    "file://$1" >"$2" 2>/dev/null
}
# expect PATTERN FILE: PATTERN stands in a line.
expect() {
  grep -Eq "$1" "$2" || { echo "no \"$1\" in $2"; bad=1; }
}
if grep -Eq '(src|href)="?https?:' "$dir"/pages/*.html; then
  echo "a page needs the network"
  bad=1
fi
dump "$dir/pages/report.html" "$dir/report.dom"
expect '<h2>Loss</h2>' "$dir/report.dom"
expect 'href="step.html"' "$dir/report.dom"
# What a reader sees first: how many boxes, and steps that are not hidden.
{
  cat "$dir/pages/step.html"
  cat <<'END'
<script>
const layers = [...document.querySelectorAll("details.layer")];
const steps = [...document.querySelectorAll("details.layer > details")];
const seen = () => steps.filter((s) => s.checkVisibility()).length;
let text = "layers " + layers.length + ", seen " + seen();
layers[0].open = true;
text += ", opened " + (seen() > 0 && seen() < steps.length);
text += ", wide " + (document.documentElement.scrollWidth > innerWidth);
document.body.append(text);
</script>
END
} >"$dir/step.html"
dump "$dir/step.html" "$dir/step.dom"
grep -o 'layers [0-9]*, seen.*' "$dir/step.dom" | tail -1
expect 'layers [1-9][0-9]*, seen 0, opened true, wide false' "$dir/step.dom"
for layer in norm1 self_attn norm2 linear1 linear2; do
  expect "<summary>encoder\.$layer: [0-9]+ steps? .* us a call</summary>" "$dir/step.dom"
done
expect 'encoder.self_attn.in_proj_weight <code>float32\[24, 8\]' "$dir/step.dom"
expect 'words <code>float32\[4, 6, 8\]' "$dir/step.dom"
exit $bad
