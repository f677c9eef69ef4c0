# SPDX-License-Identifier: Apache-2.0
"""What a pixel becomes. emit.py compiles this function to a kernel in C; colours go from 0 to 1."""


def tone(red, green, blue, exposure, contrast, saturation):
    """Change exposure, contrast and saturation of a picture."""
    gain = 2 ** exposure
    red = contrast * (gain * red - 0.5) + 0.5
    green = contrast * (gain * green - 0.5) + 0.5
    blue = contrast * (gain * blue - 0.5) + 0.5
    luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    red = luma + saturation * (red - luma)
    green = luma + saturation * (green - luma)
    blue = luma + saturation * (blue - luma)
    return red, green, blue
