"""Draws the growth of time and memory as SVG, with nothing but text."""

import math

COLOURS = {"C": "#b05030", "ours": "#2060a0"}
MARKS = {"kernels": "square", "multiples": "circle", "synthetic": "diamond"}
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 380, 260, 60, 40, 30


def nice(limit):
    """A round step, so that some five of them reach `limit`."""
    step = 10 ** math.floor(math.log10(max(limit, 1e-9) / 4))
    return next(step * factor for factor in (1, 2, 5, 10) if step * factor * 5 >= limit)


def mark(kind, x, y, colour, title):
    shape = {
        "square": f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"',
        "circle": f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4"',
        "diamond": f'<path d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"',
    }[MARKS[kind]]
    return f'{shape} fill="{colour}"><title>{title}</title></{shape[1:].split(" ")[0]}>'


def panel(x0, y0, title, unit, series, points):
    """`points`: kind, label, x, {side: y}."""
    width, height = WIDTH - LEFT - 20, HEIGHT - BOTTOM - TOP
    limit_x = max(point[2] for point in points)
    limit_y = max(point[3][side] for point in points for side in series)
    step_x, step_y = nice(limit_x), nice(limit_y)
    top_x, top_y = step_x * math.ceil(limit_x / step_x), step_y * math.ceil(limit_y / step_y)
    at = lambda x, y: (x0 + LEFT + width * x / top_x, y0 + TOP + height * (1 - y / top_y))  # noqa: E731
    out = [f'<text x="{x0 + LEFT}" y="{y0 + 18}" font-weight="bold">{title}</text>']
    for i in range(round(top_y / step_y) + 1):
        x, y = at(0, i * step_y)
        out.append(f'<path d="M{x:.1f} {y:.1f}h{width}" stroke="#ddd"/><text x="{x - 6:.1f}" y="{y + 4:.1f}" text-anchor="end">{i * step_y:g}</text>')
    for i in range(round(top_x / step_x) + 1):
        x, y = at(i * step_x, 0)
        out.append(f'<text x="{x:.1f}" y="{y + 16:.1f}" text-anchor="middle">{i * step_x:g}</text>')
    out.append(f'<text x="{x0 + LEFT + width}" y="{y0 + HEIGHT - 6}" text-anchor="end">MB of .debug_info</text>')
    out.append(f'<text x="{x0 + LEFT - 6}" y="{y0 + 18}" text-anchor="end">{unit}</text>')
    for side in series:
        for kind in MARKS:
            line = [at(point[2], point[3][side]) for point in points if point[0] == kind]
            if len(line) > 1 and kind != "kernels":
                path = " ".join(f"{x:.1f},{y:.1f}" for x, y in line)
                out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[side]}" stroke-width="1.5"/>')
        for kind, label, size, values in points:
            x, y = at(size, values[side])
            out.append(mark(kind, x, y, COLOURS[side], f"{side}, {label}: {values[side]:g} {unit}"))
    return out


def growth(rows):
    """`rows` as `growth.py` keeps them."""
    if not rows:
        return '<svg xmlns="http://www.w3.org/2000/svg"/>\n'
    time = [(kind, label, float(size), {"C": float(c), "ours": float(ours)}) for kind, label, size, c, ours, _, _ in rows]
    memory = [(kind, label, float(size), {"C": float(c), "ours": float(ours)}) for kind, label, size, _, _, c, ours in rows]
    whole, tall = 2 * WIDTH + 10, 2 * HEIGHT + 40
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole} {tall}" width="{whole}" height="{tall}" '
           'font-family="sans-serif" font-size="11">', f'<rect width="{whole}" height="{tall}" fill="white"/>']
    out += panel(0, 0, "time, C and ours", "s", ["C", "ours"], time)
    out += panel(WIDTH, 0, "time, ours", "s", ["ours"], time)
    out += panel(0, HEIGHT, "peak memory, C and ours", "MB", ["C", "ours"], memory)
    out += panel(WIDTH, HEIGHT, "peak memory, ours", "MB", ["ours"], memory)
    x = LEFT
    for side, colour in COLOURS.items():
        out.append(f'<rect x="{x}" y="{tall - 24}" width="10" height="10" fill="{colour}"/><text x="{x + 15}" y="{tall - 15}">{side}</text>')
        x += 70
    for kind, text in (("kernels", "kernels of Debian"), ("multiples", "a kernel's units many times"), ("synthetic", "synthetic programs")):
        out.append(mark(kind, x + 5, tall - 19, "#555", kind) + f'<text x="{x + 15}" y="{tall - 15}">{text}</text>')
        x += 190
    return "\n".join(out) + "\n</svg>\n"
