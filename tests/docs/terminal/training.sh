# SPDX-License-Identifier: BSD-2-Clause
# A classifier, pictures of three elements, and their labels.
gpugraph convert "$sources/cli/train/classes.txt" model.onnx
gpugraph run "$sources/cli/train/data.txt" --output drawn
mv drawn/u.npy images.npy
mv drawn/c.npy labels.npy
