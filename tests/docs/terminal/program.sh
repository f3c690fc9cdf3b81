# SPDX-License-Identifier: BSD-2-Clause
# Files with the names of MNIST's: 64 pictures of noise.
{
  printf '\0\0\10\3\0\0\0\100\0\0\0\34\0\0\0\34'
  head -c $((64 * 784)) /dev/urandom
} >train-images-idx3-ubyte
{
  printf '\0\0\10\1\0\0\0\100'
  for i in $(seq 0 63); do printf %b "\\x$((i % 10))"; done
} >train-labels-idx1-ubyte
