// Draws curves side by side, as steps: each value holds until the next one.
"use strict";

function pathOf(points, box) {
    const x = (value) => 1000 * (value - box.from) / ((box.until - box.from) || 1);
    const y = (value) => 100 - 100 * value / (box.most || 1);
    const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
    const [first, ...others] = points.map(([at, value]) => [x(at).toFixed(1), y(value).toFixed(1)]);
    const steps = others.map(([at, value]) => ` H ${at} V ${value}`).join("");
    path.setAttribute("d", first ? `M ${first[0]} ${first[1]}${steps}` : "");
    return path;
}

// A figure of `series` ({name, points: [[x, y], ...]}, ascending in x; y is 0 or more) in a box
// {from, until, most?}; x(value) and y(value) return the labels at the ends of the axes.
function chart(title, series, box, { x, y }) {
    const drawn = series.filter((one) => one.points.length > 0);
    const most = box.most ?? drawn.reduce((high, one) =>
        one.points.reduce((greater, [, value]) => Math.max(greater, value), high), 0);
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("viewBox", "0 0 1000 100");
    picture.setAttribute("preserveAspectRatio", "none");
    picture.setAttribute("role", "img");
    picture.setAttribute("aria-label", `${title}: ${drawn.map((one) => one.name).join(", ")}`);
    drawn.forEach((one) => {
        const path = pathOf(one.points, { ...box, most });
        path.classList.add(`series${series.indexOf(one) % 8}`);
        picture.append(path);
    });
    return make("figure", { className: "chart" },
        make("figcaption", {}, title, ...(drawn.length ? [] : [" (not recorded)"])),
        ...(drawn.length ? [make("div", { className: "ends" }, make("span", {}, y(most))), picture,
            make("div", { className: "ends" }, make("span", {}, x(box.from)),
                make("span", {}, x((box.from + box.until) / 2)),
                make("span", {}, x(box.until)))] : []));
}

// The colors of the series.
function chartKey(names) {
    return make("ul", { className: "key" }, ...names.map((name, i) =>
        make("li", { className: `series${i % 8}` }, name)));
}
