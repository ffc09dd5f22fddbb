"""Models as triangles, and pictures of them without a window or a graphics driver."""
