# SPDX-License-Identifier: BSD-2-Clause
# A model with an open size, and its input.
cp "$sources/fuzz/corpus/onnx/mul" model.onnx
gpugraph run model.onnx --size batch=2 --output drawn
mv drawn/y.npy x.npy
cp x.npy t.npy
