// What the pages of comparisons and contests share: the data, the ROPE and what is checked of it.
const data = JSON.parse(document.getElementById("data").textContent);
const question = {
  middle: (data.rope[0] + data.rope[1]) / 2,
  half: Number(((data.rope[1] - data.rope[0]) / 2).toPrecision(12)),
};
const around = question.middle === 0 ? "" : ` around ${generalSigned(question.middle)}`;
const ropeOf = (half) => (half === question.half ? data.rope : [question.middle - half, question.middle + half]);
const checkHalf = (x) => (x >= 0 && x < 1e300 ? "" : "The half-width must be a number that is 0 or more.");
